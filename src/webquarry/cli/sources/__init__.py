"""The commands that find and cite sources besides the web's pages: papers, patents, cite."""
