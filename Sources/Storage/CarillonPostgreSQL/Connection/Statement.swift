/// A statement of SQL, which a connection prepares when it first needs it.
struct Statement: Sendable {
    /// The name of the statement within a connection.
    let name: String
    let sql: String
    let parameters: [Value.ParameterType]

    init(_ name: String, taking parameters: [Value.ParameterType] = [], _ sql: String) {
        (self.name, self.parameters, self.sql) = (name, parameters, sql)
    }

    func callAsFunction(_ values: Value...) -> StatementCall {
        assert(values.count == parameters.count, name)
        return StatementCall(statement: self, values: values)
    }
}

/// A statement with its values.
struct StatementCall: Sendable {
    let statement: Statement
    let values: [Value]
}

/// A value of a parameter of a statement.
enum Value: Hashable, Sendable {
    case int(Int64)
    case bytes([UInt8])
    case text(String)

    /// The type of a parameter, as its number in `pg_type`, which is the same in every log database that speaks the
    /// protocol.
    enum ParameterType: UInt32 {
        case bytes = 17
        case int = 20
        case text = 25
    }

    /// The value in the binary format of the protocol.
    var encoded: [UInt8] {
        switch self {
        case .int(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }
}

/// A sequence of calls that are sent together, without waiting for answers between them. If one fails, the calls after
/// it are not carried out.
struct Pipeline: Sendable {
    let calls: [StatementCall]
    /// True if the pipeline may make changes durable. Its effect is unknown if the connection is lost.
    let commits: Bool

    private init(_ calls: [StatementCall], commits: Bool) { (self.calls, self.commits) = (calls, commits) }

    /// Makes a pipeline of calls that make changes durable: a COMMIT, or statements that each are a transaction of
    /// their own.
    static func committing(_ calls: [StatementCall]) -> Pipeline { Pipeline(calls, commits: true) }

    /// Makes a pipeline of calls that change nothing, or only within a transaction that stays open.
    static func notCommitting(_ calls: [StatementCall]) -> Pipeline { Pipeline(calls, commits: false) }
}
