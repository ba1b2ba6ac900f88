SELECT
  "t".*,
  CASE
    WHEN "t"."petal length" IS NULL OR "t"."colour" IS NULL
    THEN NULL
    WHEN CAST("t"."petal length" AS DOUBLE PRECISION) < CAST(2.5 AS DOUBLE PRECISION)
    AND CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 < CAST(2.6 AS DOUBLE PRECISION)
    THEN 0
    WHEN CAST("t"."petal length" AS DOUBLE PRECISION) >= CAST(2.5 AS DOUBLE PRECISION)
    AND "t"."colour" = 'red'
    THEN 1
    WHEN CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 >= CAST(2.6 AS DOUBLE PRECISION)
    AND "t"."colour" <> 'red'
    THEN 2
    ELSE CASE LEAST(
        GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE PRECISION) - CAST(2.5 AS DOUBLE PRECISION)
          ) / CAST(0.25 AS DOUBLE PRECISION),
          0
        ) + GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE PRECISION)
          ) / CAST(3.4 AS DOUBLE PRECISION),
          0
        ),
        GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE PRECISION) - CAST(2.5 AS DOUBLE PRECISION)
          ) / CAST(-0.25 AS DOUBLE PRECISION),
          0
        ) + GREATEST(
          (
            CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
          ) / CAST(-7.071067811865476e-1 AS DOUBLE PRECISION),
          0
        ),
        GREATEST(
          (
            CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE PRECISION)
          ) / CAST(-3.4 AS DOUBLE PRECISION),
          0
        ) + GREATEST(
          (
            CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
          ) / CAST(7.071067811865476e-1 AS DOUBLE PRECISION),
          0
        )
      )
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS DOUBLE PRECISION) - CAST(2.5 AS DOUBLE PRECISION)
        ) / CAST(0.25 AS DOUBLE PRECISION),
        0
      ) + GREATEST(
        (
          CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE PRECISION)
        ) / CAST(3.4 AS DOUBLE PRECISION),
        0
      )
      THEN 0
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS DOUBLE PRECISION) - CAST(2.5 AS DOUBLE PRECISION)
        ) / CAST(-0.25 AS DOUBLE PRECISION),
        0
      ) + GREATEST(
        (
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(-7.071067811865476e-1 AS DOUBLE PRECISION),
        0
      )
      THEN 1
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS DOUBLE PRECISION) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS DOUBLE PRECISION)
        ) / CAST(-3.4 AS DOUBLE PRECISION),
        0
      ) + GREATEST(
        (
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(7.071067811865476e-1 AS DOUBLE PRECISION),
        0
      )
      THEN 2
    END
  END AS "cluster"
FROM "flowers" AS "t"
