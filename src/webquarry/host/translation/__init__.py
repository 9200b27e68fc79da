"""a tool's own schema -> the form of each vendor

One module per vendor, each with functions that take a `ToolSchema` and give a new dict; the input
is never changed. What a vendor cannot express moves into the description of the property it
belonged to. The stages they share:

    naming      names that a vendor refuses get an alias, and arguments come back under the tool's
                own names
    schema      a clean copy: no noise, no keyword with a senseless value
    canonical   for forms with strict rules: references inlined, unions flat, one type per node
    notes       how a lost keyword reads in a description
"""
