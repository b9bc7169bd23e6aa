module carillon

go 1.19
