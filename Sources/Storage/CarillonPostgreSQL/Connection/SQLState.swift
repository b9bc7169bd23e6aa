/// The states of errors that the log judges by themselves, under nearly their names in PostgreSQL.
enum SQLState {
    // 08: connection exceptions.
    static let transactionResolutionUnknown = "08007"
    // 23: violations of constraints.
    static let notNullViolation = "23502"
    static let uniqueViolation = "23505"
    // 25: invalid states of a transaction.
    static let readOnlySQLTransaction = "25006"
    static let idleInTransactionSessionTimeout = "25P03"
    // 26: a statement that is not prepared.
    static let invalidSQLStatementName = "26000"
    // 40: transactions that were rolled back.
    static let serializationFailure = "40001"
    static let statementCompletionUnknown = "40003"
    static let deadlockDetected = "40P01"
    // 42: errors in a statement, or in what it names.
    static let duplicateObject = "42710"
    static let undefinedTable = "42P01"
    static let duplicateTable = "42P07"
    // 55: objects that are not in the state that a statement needs.
    static let lockNotAvailable = "55P03"
    // 57: interventions of an operator.
    static let queryCancelled = "57014"
    static let adminShutdown = "57P01"
    static let crashShutdown = "57P02"
    static let cannotConnectNow = "57P03"
    static let idleSessionTimeout = "57P05"
}
