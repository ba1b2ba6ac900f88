"""How fast polyclust is, as ratios to k-means grids on the same data in the same run: python -m benchmarks.speed"""
