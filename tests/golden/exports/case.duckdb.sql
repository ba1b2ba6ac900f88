CASE
  WHEN "petal length" IS NULL OR "colour" IS NULL
  THEN NULL
  WHEN CAST("petal length" AS DOUBLE) < CAST(2.5 AS DOUBLE)
  AND CAST("petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("smooth" AS INT), 0) * 3 < CAST(2.6 AS DOUBLE)
  THEN 0
  WHEN CAST("petal length" AS DOUBLE) >= CAST(2.5 AS DOUBLE) AND "colour" = 'red'
  THEN 1
  WHEN CAST("petal length" AS DOUBLE) / 5 * 2 + COALESCE(CAST("smooth" AS INT), 0) * 3 >= CAST(2.6 AS DOUBLE)
  AND "colour" <> 'red'
  THEN 2
  ELSE -1
END
