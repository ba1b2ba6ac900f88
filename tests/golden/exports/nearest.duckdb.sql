SELECT
  "t".*,
  CASE
    WHEN "t"."petal length" IS NULL OR "t"."colour" IS NULL
    THEN NULL
    WHEN CAST("t"."petal length" AS DOUBLE) < CAST(2.5 AS DOUBLE)
    AND CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 < CAST(2.6 AS DOUBLE)
    THEN 0
    WHEN CAST("t"."petal length" AS DOUBLE) >= CAST(2.5 AS DOUBLE) AND "t"."colour" = 'red'
    THEN 1
    WHEN CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 >= CAST(2.6 AS DOUBLE)
    AND "t"."colour" <> 'red'
    THEN 2
    ELSE LIST_POSITION(
      [
        GREATEST((
          CAST("t"."petal length" AS DOUBLE) - CAST(2.5 AS DOUBLE)
        ) / CAST(0.25 AS DOUBLE), 0) + GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE)
          ) / CAST(3.4 AS DOUBLE),
          0
        ),
        GREATEST((
          CAST("t"."petal length" AS DOUBLE) - CAST(2.5 AS DOUBLE)
        ) / CAST(-0.25 AS DOUBLE), 0) + GREATEST((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(-7.071067811865476e-1 AS DOUBLE), 0),
        GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE)
          ) / CAST(-3.4 AS DOUBLE),
          0
        ) + GREATEST((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(7.071067811865476e-1 AS DOUBLE), 0)
      ],
      LEAST(
        GREATEST((
          CAST("t"."petal length" AS DOUBLE) - CAST(2.5 AS DOUBLE)
        ) / CAST(0.25 AS DOUBLE), 0) + GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE)
          ) / CAST(3.4 AS DOUBLE),
          0
        ),
        GREATEST((
          CAST("t"."petal length" AS DOUBLE) - CAST(2.5 AS DOUBLE)
        ) / CAST(-0.25 AS DOUBLE), 0) + GREATEST((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(-7.071067811865476e-1 AS DOUBLE), 0),
        GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE)
          ) / CAST(-3.4 AS DOUBLE),
          0
        ) + GREATEST((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(7.071067811865476e-1 AS DOUBLE), 0)
      )
    ) - 1
  END AS "cluster"
FROM "flowers" AS "t"
