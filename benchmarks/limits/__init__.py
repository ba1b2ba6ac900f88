"""What silhouettes are possible at all where polyclust falls short of an aim: python -m benchmarks.limits

Wingnut (protocol paper, rules of one term): every partition into two and into three boxes is scored.
Engytime (protocol practical): every half-plane is scored, whatever the coefficients of its line.
Both are complete. For more clusters single rows climb from many starts, free of any rules; that shows how high such
searches come, and proves nothing.
"""
