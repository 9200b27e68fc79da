# Compiled without type annotations.
