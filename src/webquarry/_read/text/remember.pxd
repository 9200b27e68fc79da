# compiled as it stands: it is asked about the body of every rule
