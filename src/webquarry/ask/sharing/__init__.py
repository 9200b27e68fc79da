"""what processes share that ask models: answers, who asks a question now, and the bill"""
