"""the door of notebooks: magics, and how things are shown in a cell"""
