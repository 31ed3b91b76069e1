"""The ladder of matmul_bf16."""
