"""the vendors of models: Anthropic, Chat Completions, Gemini"""
