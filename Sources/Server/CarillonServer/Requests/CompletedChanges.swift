import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Pipelined changes with their results.
struct CompletedChanges: Sendable {
    /// The parts of a request that its answer needs.
    struct Request: Sendable {
        let id: UInt64
        let opcode: Opcode
    }

    let runner: RequestRunner
    /// The name of the client's principal.
    let principal: String
    let app: AppID
    /// The time at which the first change was read, in nanoseconds of uptime.
    let startedAtNanoseconds: UInt64
    let requests: [Request]
    let results: [Result<ChangeAnswer, RegistryError>]

    /// Answers all requests. Called after `notifyDelivery`.
    func answer(_ session: inout ServerSession, at now: Uptime) {
        let nanoseconds = Clock.uptimeNanoseconds() - startedAtNanoseconds
        // Most often all results are equal, so the metrics are called once for each run of equal results.
        var run: (opcode: Opcode, code: ErrorCode?, count: UInt64)?
        for (request, result) in zip(requests, results) {
            let code = Self.answer(request, with: result, in: &session, at: now)
            if let last = run, last.opcode == request.opcode, last.code == code {
                run?.count += 1
            } else {
                if let run {
                    runner.metrics.requestAnswered(
                        run.opcode, error: run.code, nanoseconds: nanoseconds, count: run.count)
                }
                run = (request.opcode, code, 1)
            }
        }
        if let run {
            runner.metrics.requestAnswered(run.opcode, error: run.code, nanoseconds: nanoseconds, count: run.count)
        }
    }

    /// Writes the audit lines of the changes that get one.
    ///
    /// - Parameter clientAddress: the client's address, as `AuditLog.Client.address` has it.
    func audit(from clientAddress: @autoclosure () -> String) {
        for (request, result) in zip(requests, results) where AuditLog.hasLine(request.opcode) {
            guard case .success(let answer) = result else { continue }
            let client = AuditLog.Client(principal: principal, address: clientAddress())
            runner.audit.makeLine(of: answer, app: app, by: client)?.write()
        }
    }

    /// Answers one request; returns the code of its error, or nil.
    private static func answer(
        _ request: Request, with result: Result<ChangeAnswer, RegistryError>, in session: inout ServerSession,
        at now: Uptime
    ) -> ErrorCode? {
        let error: RequestError
        switch result {
        case .success(.refused(let refusal)): error = RequestError(refusal).withField(ofRequest: request.opcode)
        case .success(let answer):
            if session.answer(answer, to: request.opcode, id: request.id) { return nil }
            error = .unexpectedAnswer
        case .failure(let failure): error = RequestError(failure)
        }
        session.fail(error, id: request.id, at: now)
        return error.code
    }

    /// Tells delivery which devices have changed, so that it does not use what it read of them before the change.
    ///
    /// It must be told before the clients are answered: once a client has its answer, no push begins that was meant for
    /// the device before the change.
    func notifyDelivery() {
        var devices: [DeviceID] = []
        for case .success(let answer) in results {
            guard case .devices(let affected) = answer.affected else {
                return runner.delivery.changeStored(affecting: .allDevices, of: app)
            }
            devices += affected
        }
        runner.delivery.changeStored(affecting: .devices(devices), of: app)
    }
}
