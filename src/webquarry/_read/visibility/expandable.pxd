# compiled as it stands
