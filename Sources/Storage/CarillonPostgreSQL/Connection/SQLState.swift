/// The states of errors that jobs judge by themselves, under their names in PostgreSQL.
enum SQLState {
    static let notNullViolation = "23502"
    static let uniqueViolation = "23505"
    static let duplicateObject = "42710"
    static let undefinedTable = "42P01"
    static let duplicateTable = "42P07"
}
