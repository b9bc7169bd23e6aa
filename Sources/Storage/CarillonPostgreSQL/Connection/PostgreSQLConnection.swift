import CCarillonPostgreSQL
import CarillonCluster

/// A connection to the log database, through libpq in its asynchronous mode with pipelines.
// Safety: it belongs to one thread at a time: the thread that makes it, and then the thread of the log.
final class PostgreSQLConnection: @unchecked Sendable {
    enum StatementResult: Sendable {
        case rows(Rows)
        case failed(SQLFault)
        /// A call before this one has failed.
        case skipped
    }

    /// The answers that have come in for a pipeline.
    enum Reception {
        /// The answers are not complete yet.
        case waiting
        /// The answers are complete: one for each call of the pipeline.
        case answered([StatementResult])
        case broken(String)
    }

    /// A command that was sent.
    private enum Command {
        case prepare(String)
        case call
    }

    private let library: LibPQ
    private let connection: OpaquePointer
    private let connectionString: ConnectionString
    /// The names of the statements that are prepared.
    private var prepared: Set<String> = []
    /// The commands that were sent, in order.
    private var sent: [Command] = []
    /// The number of commands that have their answer.
    private var answeredCount = 0
    private var results: [StatementResult] = []
    /// True from the sending of a pipeline until its answers are complete.
    private(set) var isPending = false
    /// True if bytes wait until the socket takes them.
    private(set) var hasOutput = false
    /// The count of warnings, which libpq's receiver of notices increases.
    private let warnings = Warnings()

    private final class Warnings {
        var count = 0
    }

    /// Takes over a connection that ``PostgreSQLConnector`` has made.
    init(_ connection: OpaquePointer, of library: LibPQ, connectionString: ConnectionString) throws(LogError) {
        self.library = library
        self.connection = connection
        self.connectionString = connectionString
        guard library.call.PQsetnonblocking(connection, 1) == 0, library.call.PQenterPipelineMode(connection) == 1
        else {
            throw .unavailable(.none, connectionString.redacted(library.errorText(of: connection)))
        }
        // The object lives as long as the connection, which is finished in deinit.
        let pointer = Unmanaged.passUnretained(warnings).toOpaque()
        _ = library.call.PQsetNoticeReceiver(
            connection,
            { argument, result in
                // Why try?: it is loaded: a connection has called this.
                guard let argument, let result, let library = try? LibPQ.load(),
                    let severity = library.call.PQresultErrorField(result, Int32(UInt8(ascii: "V")))
                else { return }
                if String(cString: severity) == "WARNING" {
                    Unmanaged<Warnings>.fromOpaque(argument).takeUnretainedValue().count += 1
                }
            }, pointer)
    }

    deinit { library.call.PQfinish(connection) }

    var socket: Int32 { library.call.PQsocket(connection) }

    /// The number of the session, which is in the notifications that it sends.
    var sessionNumber: Int32 { library.call.PQbackendPID(connection) }

    /// True if a transaction is open, also one that has failed.
    var isInTransaction: Bool { library.call.PQtransactionStatus(connection) != LibPQ.transactionIdle }

    /// True if the open transaction has failed. It can only be rolled back.
    var hasFailedTransaction: Bool { library.call.PQtransactionStatus(connection) == LibPQ.transactionInError }

    private var reason: String { connectionString.redacted(library.errorText(of: connection)) }

    // MARK: Sending

    /// Sends the calls of a pipeline. Bytes that the socket does not take yet wait. Returns false if the connection is
    /// lost. It is not known then which calls have arrived.
    ///
    /// - Precondition: no other pipeline is on its way.
    func send(_ pipeline: Pipeline) -> Bool {
        precondition(!isPending)
        isPending = true
        answeredCount = 0
        sent.removeAll(keepingCapacity: true)
        results.removeAll(keepingCapacity: true)
        warnings.count = 0
        var preparing: Set<String> = []
        for call in pipeline.calls {
            let name = call.statement.name
            if !prepared.contains(name), preparing.insert(name).inserted {
                let types = call.statement.parameters.map(\.rawValue)
                guard
                    library.call.PQsendPrepare(connection, name, call.statement.sql, Int32(types.count), types) == 1
                else { return false }
                sent.append(.prepare(name))
            }
            guard send(call) else { return false }
            sent.append(.call)
        }
        guard library.call.PQpipelineSync(connection) == 1 else { return false }
        return flush()
    }

    private func send(_ call: StatementCall) -> Bool {
        let values = call.values.map(\.encoded)
        let lengths = values.map { Int32($0.count) }
        let formats = values.map { _ in LibPQ.formatBinary }
        // One block of memory for all values: libpq copies it before it returns.
        let joined = Array(values.joined()) + [0]
        return joined.withUnsafeBytes { raw in
            var offset = 0
            let pointers: [UnsafePointer<CChar>?] = values.map { value in
                defer { offset += value.count }
                return raw.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
            }
            return library.call.PQsendQueryPrepared(
                connection, call.statement.name, Int32(values.count), pointers, lengths, formats, LibPQ.formatBinary)
                == 1
        }
    }

    /// Sends as many bytes as the socket takes. Returns false if the connection is lost.
    func flush() -> Bool {
        let rest = library.call.PQflush(connection)
        hasOutput = rest == 1
        return rest >= 0
    }

    // MARK: Receiving

    /// Reads the bytes that the socket has, and returns the answers of the pipeline once they are complete.
    func receive() -> Reception {
        guard library.call.PQconsumeInput(connection) == 1 else { return .broken(reason) }
        guard isPending else {
            // The log database ends an idle connection, or a notice has come.
            return library.call.PQstatus(connection) == LibPQ.statusOK ? .waiting : .broken(reason)
        }
        var nulls = 0
        while library.call.PQisBusy(connection) == 0 {
            guard let result = library.call.PQgetResult(connection) else {
                // One null stands between the answers of two calls. Two in a row mean that no answer is there.
                nulls += 1
                if nulls < 2 { continue }
                return library.call.PQstatus(connection) == LibPQ.statusOK ? .waiting : .broken(reason)
            }
            nulls = 0
            defer { library.call.PQclear(result) }
            if library.call.PQresultStatus(result) == LibPQ.resultPipelineSync {
                isPending = false
                return .answered(results)
            }
            record(result)
            guard library.call.PQstatus(connection) == LibPQ.statusOK else { return .broken(reason) }
        }
        return .waiting
    }

    /// True if the log database has warned during the pipeline.
    ///
    /// A commit whose wait for a synchronous standby was ended is answered as done, with a warning: the standby may
    /// lack it (SyncRepWaitForLSN of PostgreSQL).
    var hasWarning: Bool { warnings.count > 0 }

    /// Records the result of the next command.
    private func record(_ result: OpaquePointer) {
        guard answeredCount < sent.count else { return }
        let command = sent[answeredCount]
        answeredCount += 1
        let answer: StatementResult
        switch library.call.PQresultStatus(result) {
        case LibPQ.resultCommandOK: answer = .rows(Rows())
        case LibPQ.resultTuplesOK: answer = .rows(rows(of: result))
        case LibPQ.resultPipelineAborted: answer = .skipped
        default: answer = .failed(fault(of: result))
        }
        switch (command, answer) {
        case (.prepare(let name), .rows): prepared.insert(name)
        case (.prepare, .failed): results.append(answer)
        case (.prepare, .skipped): break
        // The fault of preparing a statement stands for the call that needs it.
        case (.call, .skipped) where results.count >= callsAnswered: break
        case (.call, _): results.append(answer)
        }
    }

    /// The number of calls among the commands that are answered.
    private var callsAnswered: Int {
        sent[..<answeredCount].reduce(0) { count, sent in if case .call = sent { count + 1 } else { count } }
    }

    private func rows(of result: OpaquePointer) -> Rows {
        let rows = library.call.PQntuples(result)
        let columns = library.call.PQnfields(result)
        return Rows(
            (0..<rows).map { row in
                (0..<columns).map { column in
                    guard library.call.PQgetisnull(result, row, column) == 0,
                        let value = library.call.PQgetvalue(result, row, column)
                    else { return nil }
                    return Array(
                        UnsafeRawBufferPointer(start: value, count: Int(library.call.PQgetlength(result, row, column))))
                }
            })
    }

    private func fault(of result: OpaquePointer) -> SQLFault {
        func field(_ letter: Character) -> String {
            guard let code = letter.asciiValue, let text = library.call.PQresultErrorField(result, Int32(code)) else {
                return ""
            }
            return String(cString: text)
        }
        let message = field("M")
        return SQLFault(state: field("C"), message: message.isEmpty ? reason : connectionString.redacted(message))
    }

    /// Removes the notifications that have come, and returns the numbers of the sessions that have sent them.
    func takeNotifications() -> [Int32] {
        var notifiers: [Int32] = []
        while let notification = library.call.PQnotifies(connection) {
            notifiers.append(notification.pointee.be_pid)
            library.call.PQfreemem(notification)
        }
        return notifiers
    }
}
