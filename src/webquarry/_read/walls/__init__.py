"""a page that was read -> what became of it: text, or a captcha, a login, a missing page"""
