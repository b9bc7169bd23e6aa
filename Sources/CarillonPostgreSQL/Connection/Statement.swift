/// A parameter of a statement, or a value that a parameter has.
enum Value: Hashable, Sendable {
    case int(Int64)
    case bytes([UInt8])
    case text(String)

    /// The number of a type in `pg_type`, which is the same in every log database that speaks the protocol.
    enum Kind: UInt32 {
        case bytes = 17
        case int = 20
        case text = 25
    }

    /// The bytes in the binary format of the protocol.
    var encoded: [UInt8] {
        switch self {
        case .int(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        }
    }
}

/// A statement of SQL, which a connection prepares when it first needs it.
struct Statement: Sendable {
    /// Names it within a connection.
    let name: String
    let sql: String
    let parameters: [Value.Kind]

    init(_ name: String, _ parameters: [Value.Kind], _ sql: String) {  // style: unlabelled: rows of a table
        (self.name, self.parameters, self.sql) = (name, parameters, sql)
    }

    /// Makes a statement without parameters.
    init(_ name: String, _ sql: String) { self.init(name, [], sql) }

    /// A call of the statement.
    func callAsFunction(_ values: Value...) -> Call {
        assert(values.count == parameters.count, name)
        return Call(statement: self, values: values)
    }
}

/// A statement with its values.
struct Call: Sendable {
    let statement: Statement
    let values: [Value]
}

/// Calls that are sent together, without waiting for answers between them. If one fails, those after it are not carried
/// out.
struct Pipeline: Sendable {
    let calls: [Call]
    /// True if the pipeline may make changes durable: what becomes of it is unknown if the connection is lost.
    let commits: Bool

    private init(_ calls: [Call], commits: Bool) { (self.calls, self.commits) = (calls, commits) }

    /// Calls that make changes durable: a COMMIT, or statements that each are a transaction of their own.
    static func committing(_ calls: [Call]) -> Pipeline { Pipeline(calls, commits: true) }

    /// Calls that change nothing, or only within a transaction that stays open.
    static func notCommitting(_ calls: [Call]) -> Pipeline { Pipeline(calls, commits: false) }
}
