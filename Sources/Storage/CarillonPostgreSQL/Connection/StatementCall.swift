/// A statement with its values.
struct StatementCall: Sendable {
    let statement: Statement
    let values: [SQLValue]
}
