"""characters and words -> safe text: what cannot be seen leaves, what would be markup is escaped"""
