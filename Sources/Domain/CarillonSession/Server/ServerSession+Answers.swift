package import CarillonCore
package import CarillonWire

/// Answers and errors of the server.
extension ServerSession {
    /// The most bytes of a grant in the answer to AUTH: the name of the app with its length, and the roles.
    private static let maximumGrantBytes = 2 + AppID.maximumBytes + 1

    /// Answers AUTH after the caller has checked the key.
    ///
    /// - Parameter principal: the client that the key belongs to; nil if the key is wrong.
    package mutating func clientAuthenticated(as principal: Principal?, id: UInt64) {
        guard case .auth = state.phase, requests.remove(id) != nil else { return }
        if let principal {
            client.principalChanged(to: principal)
            writeAuthenticateAnswer(to: principal, id: id)
            state.keyAccepted()
            closeIfDone()
            return
        }
        let isLast = state.keyRefused(attempts: limits.authenticationAttempts)
        let error = RequestError(
            .authenticationFailed,
            scope: isLast ? .connection : .request,
            message: "the API key is not good"
        )
        output.error(error, opcode: .authenticate, id: id)
        closeIfDone()
    }

    /// Answers AUTH with the client's name and as many of its grants as fit in an answer that the client takes
    /// (Protocol 6.2).
    private mutating func writeAuthenticateAnswer(to principal: Principal, id: UInt64) {
        let start = output.bytes.count
        var grants = principal.grants
        while true {
            let answer = AuthenticateAnswer(principal: principal.name, grants: grants)
            output.answer(answer, to: AuthenticateRequest.self, id: id)
            let excess = output.bytes.count - start - maximumAnswerFrameBytes
            guard excess > 0, !grants.isEmpty else { return }
            output.truncate(to: start)
            // No grant has more bytes than `maximumGrantBytes`. So this never removes too many. If it removes too few,
            // the next pass removes more.
            grants.removeLast(min(grants.count, max(1, excess / Self.maximumGrantBytes)))
        }
    }

    /// Answers a request; an id that is not outstanding is ignored.
    package mutating func answer(_ answer: EncodedAnswer, id: UInt64) {
        writeAnswer(to: answer.opcode, id: id) { $0.answer(answer, id: id) }
        requests.subscriptions.subscriptionAnswered(id)
    }

    /// Answers a point read; an id that is not outstanding is ignored.
    package mutating func answer(_ result: PointReadResult, id: UInt64) {
        let limit = maximumAnswerFrameBytes
        writeAnswer(to: result.opcode, id: id) { output in
            let start = output.bytes.count
            output.pointReadAnswer(result, id: id)
            guard output.bytes.count - start > limit, case .status(var status) = result else { return }
            // Only the audience can be that long, and the client that named it knows it.
            status.audience = nil
            output.truncate(to: start)
            output.pointReadAnswer(.status(status), id: id)
        }
    }

    /// Answers a change; an id that is not outstanding is ignored.
    ///
    /// - Returns: false if `answer` does not fit the operation. Nothing is written then, and the request still needs an
    ///   answer.
    package mutating func answer(_ answer: ChangeAnswer, to opcode: Opcode, id: UInt64) -> Bool {
        guard state.phase != .closed else { return true }
        let start = output.bytes.count
        guard output.answer(answer, to: opcode, id: id) else { return false }
        guard requests.remove(id) != nil else {
            output.truncate(to: start)
            return true
        }
        limitAnswer(from: start, to: opcode, id: id)
        closeIfDone()
        return true
    }

    /// The most bytes of an answer that the client takes, with its header.
    private var maximumAnswerFrameBytes: Int { FrameHeader.byteCount + Int(client.receiveLimit) }

    private mutating func writeAnswer(to opcode: Opcode, id: UInt64, _ write: (inout FrameWriter) -> Void) {
        guard state.phase != .closed, requests.remove(id) != nil else { return }
        let start = output.bytes.count
        write(&output)
        limitAnswer(from: start, to: opcode, id: id)
        closeIfDone()
    }

    /// Writes an error in place of an answer that is too large.
    private mutating func limitAnswer(from start: Int, to opcode: Opcode, id: UInt64) {
        guard output.bytes.count - start > maximumAnswerFrameBytes else { return }
        output.truncate(to: start)
        output.error(Self.tooLongError(opcode), opcode: opcode, id: id)
    }

    /// Makes the error for an answer that is too large. Some answers cannot be made short enough by a `limit`; their
    /// requests change nothing (Protocol 6.1).
    private static func tooLongError(_ opcode: Opcode) -> RequestError {
        let hasLimit = OperationTable.row(of: opcode)?.rowBytes != 0
        let field = opcode == .explain ? "condition" : hasLimit ? "limit" : nil
        return RequestError(
            .invalidArgument, message: "the answer would be larger than the receive_limit of HELLO", field: field)
    }

    /// Answers a request with an error, after it was handed to the caller; an id that is not outstanding is ignored.
    package mutating func fail(_ error: RequestError, id: UInt64, at now: Uptime) {
        guard state.phase != .closed, let request = requests.removeFailed(id) else { return }
        // Only the client's own faults count. A missing device, or a busy server, is no fault of the client.
        let isFault = error.code == .forbidden || error.code == .invalidArgument
        if isFault && !client.admitError(at: now) {
            _ = close(.tooManyErrors, because: "too many errors on this connection", retryMilliseconds: 1_000)
            return
        }
        output.error(error, opcode: request.opcode, id: id)
        if error.scope == .connection { state.close() }
        closeIfDone()
    }

    /// Refuses a request that was not handed to the caller.
    mutating func refuse(_ header: FrameHeader, with error: RequestError, at now: Moment) -> Step {
        guard client.admitError(at: now.uptime) else {
            return close(.tooManyErrors, because: "too many errors on this connection", retryMilliseconds: 1_000)
        }
        output.error(error, opcode: header.opcode, id: header.id)
        return .proceed
    }

    /// Ends a connection that is not open. The error belongs to no request.
    package mutating func refuseConnection(_ error: RequestError) {
        guard state.phase != .closed else { return }
        if state.phase == .preface { output.raw(Preface.serverBytes(choosing: 0)) }
        output.error(error, opcode: .none, id: 0)
        state.close()
    }

    /// Ends the connection with an error.
    ///
    /// - Parameter retryMilliseconds: the time after which the client may connect again; nil if that cannot help.
    mutating func close(_ code: ErrorCode, because text: String, retryMilliseconds: UInt32? = nil) -> Step {
        close(FramingViolation(code: code, text: text), retryMilliseconds: retryMilliseconds)
    }

    mutating func close(_ violation: FramingViolation, retryMilliseconds: UInt32? = nil) -> Step {
        let error = RequestError(
            violation.code,
            scope: .connection,
            retry: retryMilliseconds.map { .after(milliseconds: $0) } ?? .never,
            message: violation.text,
            limit: violation.limit.map { UInt64($0) }
        )
        output.error(error, opcode: violation.opcode, id: violation.id)
        state.close()
        return .close
    }
}
