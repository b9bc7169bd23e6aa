import CarillonCore
import CarillonRegistryTestKit
import Dispatch
import Synchronization

@testable import CarillonRegistry

/// The answers of a registry to changes and reads that a test makes in one call.
extension LMDBRegistry {
    /// Submits each change for itself, and waits for their answers.
    func applyEach(
        _ changes: [(change: Change, deadline: Uptime?)]
    ) -> [Result<ChangeAnswer, RegistryError>] {
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        submitEach(changes) { results in
            found.withLock { $0 = results }
            isAnswered.signal()
        }
        isAnswered.wait()
        return found.withLock { $0 }
    }

    /// Returns the unfinished messages of all queues, by id.
    func unfinished() throws -> [OutboundMessage] {
        try outboxQueues().flatMap { try unfinishedMessages(in: $0, after: nil, limit: .max).messages }
            .sorted { $0.id < $1.id }
    }

    /// Applies changes round after round until they are refused, in at most 1,000 rounds.
    ///
    /// - Returns: the number of changes that were applied, and the refusal; nil if nothing was refused.
    func applyUntilRefused(
        _ changes: (_ round: Int) -> [Change]
    ) throws -> (applied: Int, refusal: RegistryError?) {
        var applied = 0
        for round in 0..<1_000 {
            do {
                applied += try apply(changes(round)).count
            } catch let error as RegistryError {
                return (applied, error)
            }
        }
        return (applied, nil)
    }

    /// Submits a change and holds the writer when it is made; returns when it is held.
    func holdWriter(with change: Change) -> WriterHold {
        let hold = WriterHold()
        submit(change, deadline: nil) { [isHeld = hold.isHeld, mayGoOn = hold.mayGoOn] _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        hold.isHeld.wait()
        return hold
    }
}

/// A writer that waits in the completion of a submission until it is released.
final class WriterHold: Sendable {
    fileprivate let isHeld = DispatchSemaphore(value: 0)
    fileprivate let mayGoOn = DispatchSemaphore(value: 0)

    deinit { release() }

    func release() { mayGoOn.signal() }
}

extension Change {
    /// Makes registrations of devices with random tokens, other ones in each round.
    static func registrations(_ count: Int, round: Int) -> [Change] {
        (0..<count).map { index in
            let number = UInt64(round * count + index) &* 0x9E37_79B9_7F4A_7C15
            let bytes = UUIDBytes(high: number, low: ~number).bytes
            let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken(bytes + bytes)!)
            return .register(Registration(app: game, address: address), now: timestamp(1_000))
        }
    }
}
