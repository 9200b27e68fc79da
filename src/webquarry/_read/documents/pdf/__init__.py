"""a PDF -> Markdown: characters with their places become lines, lines become blocks"""
