"""bytes of a risky document -> Markdown, made in a child process with limits"""
