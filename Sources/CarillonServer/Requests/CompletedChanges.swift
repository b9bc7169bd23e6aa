import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// The changes of a batch with their results.
struct CompletedChanges: Sendable {
    typealias Request = (kind: ChangeKind, id: UInt64)

    let runner: RequestRunner
    let app: AppID
    /// When the first was read, in nanoseconds of uptime.
    let startedAt: UInt64
    let requests: [Request]
    /// One for each request.
    let results: [Result<ChangeAnswer, RegistryError>]

    /// Answers all of them; `now` is uptime in milliseconds.
    func answer(_ session: inout ServerSession, at now: UInt64) {
        // Before the answers: once a client has its answer, no push begins that was meant for the device as it was before.
        notifyDelivery()
        let nanoseconds = NIODeadline.now().uptimeNanoseconds - startedAt
        // Most often all have the same result: a run of equal results is one call of the metrics.
        var (opcode, code, count): (Opcode?, ErrorCode?, UInt64) = (nil, nil, 0)
        func recordResult(_ next: Opcode?, _ nextCode: ErrorCode?) {
            if next == opcode && nextCode == code { return count += 1 }
            if let opcode { runner.metrics.answered(opcode, code, nanoseconds: nanoseconds, count: count) }
            (opcode, code, count) = (next, nextCode, 1)
        }
        for ((kind, id), result) in zip(requests, results) {
            switch kind.response(result) {
            case .success(let response):
                session.respond(response, id: id)
                recordResult(kind.opcode, nil)
            case .failure(let error):
                session.fail(error, id: id, at: now)
                recordResult(kind.opcode, error.code)
            }
        }
        recordResult(nil, nil)
    }

    /// Tells delivery which devices have changed, so that it does not use what it has read of them before.
    private func notifyDelivery() {
        var devices: [DeviceID] = []
        for (request, result) in zip(requests, results) {
            guard case .success(let answer) = result else { continue }
            switch (request.kind, answer) {
            case (.register(let changesAudiences), .registered(let id, let result, let ended)):
                if RequestRunner.changesDeliveries(result, changesAudiences) { devices.append(id) }
                if let ended { devices.append(ended) }
            case (_, .unregistered(let id?)), (_, .updated(let id)): devices.append(id)
            case (_, .membership(let answer)):
                guard case .devices(let affected) = answer.affected else {
                    return runner.delivery.devicesChanged(.allDevices, of: app)
                }
                devices += affected
            case (_, .muted(_, hasChanged: true)): return runner.delivery.devicesChanged(.allDevices, of: app)
            default: break
            }
        }
        if !devices.isEmpty { runner.delivery.devicesChanged(.devices(devices), of: app) }
    }
}
