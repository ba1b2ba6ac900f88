SELECT
  "t".*,
  CASE
    WHEN "t"."petal length" IS NULL OR "t"."colour" IS NULL
    THEN NULL
    WHEN CAST("t"."petal length" AS BINARY_DOUBLE) < CAST(2.5 AS BINARY_DOUBLE)
    AND CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 < CAST(2.6 AS BINARY_DOUBLE)
    THEN 0
    WHEN CAST("t"."petal length" AS BINARY_DOUBLE) >= CAST(2.5 AS BINARY_DOUBLE) AND "t"."colour" = 'red'
    THEN 1
    WHEN CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 >= CAST(2.6 AS BINARY_DOUBLE)
    AND "t"."colour" <> 'red'
    THEN 2
    ELSE CASE LEAST(
        GREATEST(
          (
            CAST("t"."petal length" AS BINARY_DOUBLE) - CAST(2.5 AS BINARY_DOUBLE)
          ) / CAST(0.25 AS BINARY_DOUBLE),
          0
        ) + GREATEST(
          (
            CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS BINARY_DOUBLE)
          ) / CAST(3.4 AS BINARY_DOUBLE),
          0
        ),
        GREATEST(
          (
            CAST("t"."petal length" AS BINARY_DOUBLE) - CAST(2.5 AS BINARY_DOUBLE)
          ) / CAST(-0.25 AS BINARY_DOUBLE),
          0
        ) + GREATEST(
          (
            CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
          ) / CAST(-7.071067811865476e-1 AS BINARY_DOUBLE),
          0
        ),
        GREATEST(
          (
            CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS BINARY_DOUBLE)
          ) / CAST(-3.4 AS BINARY_DOUBLE),
          0
        ) + GREATEST(
          (
            CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
          ) / CAST(7.071067811865476e-1 AS BINARY_DOUBLE),
          0
        )
      )
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS BINARY_DOUBLE) - CAST(2.5 AS BINARY_DOUBLE)
        ) / CAST(0.25 AS BINARY_DOUBLE),
        0
      ) + GREATEST(
        (
          CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS BINARY_DOUBLE)
        ) / CAST(3.4 AS BINARY_DOUBLE),
        0
      )
      THEN 0
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS BINARY_DOUBLE) - CAST(2.5 AS BINARY_DOUBLE)
        ) / CAST(-0.25 AS BINARY_DOUBLE),
        0
      ) + GREATEST(
        (
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(-7.071067811865476e-1 AS BINARY_DOUBLE),
        0
      )
      THEN 1
      WHEN GREATEST(
        (
          CAST("t"."petal length" AS BINARY_DOUBLE) / 5 * 2 + COALESCE(CAST("t"."smooth" AS INT), 0) * 3 - CAST(2.6 AS BINARY_DOUBLE)
        ) / CAST(-3.4 AS BINARY_DOUBLE),
        0
      ) + GREATEST(
        (
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(7.071067811865476e-1 AS BINARY_DOUBLE),
        0
      )
      THEN 2
    END
  END AS "cluster"
FROM "flowers" "t"
