/// A statement of SQL, which a connection prepares when it first needs it.
struct Statement: Sendable {
    /// The name of the statement within a connection.
    let name: String
    let sql: String
    let parameters: [SQLValue.ParameterType]

    init(_ name: String, taking parameters: [SQLValue.ParameterType] = [], _ sql: String) {
        self.name = name
        self.parameters = parameters
        self.sql = sql
    }

    func callAsFunction(_ values: SQLValue...) -> StatementCall {
        assert(values.count == parameters.count, name)
        return StatementCall(statement: self, values: values)
    }
}
