SELECT
  "t".*,
  CASE
    WHEN "t"."petal length" IS NULL OR "t"."colour" IS NULL
    THEN NULL
    WHEN CAST("t"."petal length" AS REAL) < CAST(2.5 AS REAL)
    AND CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 < CAST(2.6 AS REAL)
    THEN 0
    WHEN CAST("t"."petal length" AS REAL) >= CAST(2.5 AS REAL) AND "t"."colour" = 'red'
    THEN 1
    WHEN CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 >= CAST(2.6 AS REAL)
    AND "t"."colour" <> 'red'
    THEN 2
    ELSE CASE MIN(
        MAX((
          CAST("t"."petal length" AS REAL) - CAST(2.5 AS REAL)
        ) / CAST(0.25 AS REAL), 0) + MAX(
          (
            CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 - CAST(2.6 AS REAL)
          ) / CAST(3.4 AS REAL),
          0
        ),
        MAX((
          CAST("t"."petal length" AS REAL) - CAST(2.5 AS REAL)
        ) / CAST(-0.25 AS REAL), 0) + MAX((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(-7.071067811865476e-1 AS REAL), 0),
        MAX(
          (
            CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 - CAST(2.6 AS REAL)
          ) / CAST(-3.4 AS REAL),
          0
        ) + MAX((
          CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
        ) / CAST(7.071067811865476e-1 AS REAL), 0)
      )
      WHEN MAX((
        CAST("t"."petal length" AS REAL) - CAST(2.5 AS REAL)
      ) / CAST(0.25 AS REAL), 0) + MAX(
        (
          CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 - CAST(2.6 AS REAL)
        ) / CAST(3.4 AS REAL),
        0
      )
      THEN 0
      WHEN MAX((
        CAST("t"."petal length" AS REAL) - CAST(2.5 AS REAL)
      ) / CAST(-0.25 AS REAL), 0) + MAX((
        CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
      ) / CAST(-7.071067811865476e-1 AS REAL), 0)
      THEN 1
      WHEN MAX(
        (
          CAST("t"."petal length" AS REAL) / 5 * 2 + COALESCE(CAST(REPLACE(LOWER("t"."smooth"), 'true', '1') AS INTEGER), 0) * 3 - CAST(2.6 AS REAL)
        ) / CAST(-3.4 AS REAL),
        0
      ) + MAX((
        CASE WHEN "t"."colour" = 'red' THEN 1 ELSE 0 END - 1
      ) / CAST(7.071067811865476e-1 AS REAL), 0)
      THEN 2
    END
  END AS "cluster"
FROM "flowers" AS "t"
