import CarillonCore
import CarillonLMDB

/// Stores the answers of SEND and RESEND under their idempotency keys, and finds out what a key means (Protocol 10.1).
final class IdempotencyStore {
    private let tables: Tables
    private let settings: StoredSettings

    init(_ context: WriteContext) {
        tables = context.tables
        settings = context.settings
    }

    /// The result of looking up the idempotency key of a message.
    enum Meaning {
        /// The message has no key.
        case none
        /// The key is new, so the caller stores it; `expired` is the time of an earlier use that is no longer kept.
        case new(RequestFingerprint, expired: Timestamp?)
        /// The answer is known already.
        case answered(ChangeAnswer)
    }

    /// Finds out what the idempotency key of a message means: the message has no key, its key is new, or the message
    /// that had the key first is the answer. A different message with the same key is refused.
    ///
    /// - Parameter makeFingerprint: computes the fingerprint of the request, by which a repetition is known.
    func meaning(
        of key: UUIDBytes?,
        fingerprint makeFingerprint: @autoclosure () -> RequestFingerprint,
        scope: ChangeScope,
        in transaction: borrowing WriteTransaction
    ) throws -> Meaning {
        guard let key else { return .none }
        let fingerprint = makeFingerprint()
        guard let earlier = try tables.idempotency.get(key, app: scope.app, in: transaction) else {
            return .new(fingerprint, expired: nil)
        }
        let retention = try settings.get(in: transaction).retention.idempotencyMilliseconds
        guard scope.now.milliseconds(since: earlier.acceptedAt) <= retention else {
            return .new(fingerprint, expired: earlier.acceptedAt)
        }
        guard earlier.fingerprint == fingerprint else { return .answered(.refused(.idempotencyConflict)) }
        var acceptance = SendResult(
            id: earlier.message,
            isDuplicate: true,
            total: earlier.total,
            ended: earlier.ended
        )
        acceptance.isCounted = try tables.progress.get(earlier.message, in: transaction)?.isCounted ?? true
        return .answered(.accepted(acceptance, outbound: nil))
    }

    /// Stores the answer of a message under its idempotency key, if it has one.
    func store(
        _ acceptance: SendResult,
        of message: NewMessage,
        under key: UUIDBytes?,
        in transaction: inout WriteTransaction
    ) throws {
        guard let key, case .new(let fingerprint, let expired) = message.keyMeaning else { return }
        let app = message.progress.app
        let now = message.acceptedAt
        if let expired {
            try tables.expiry.delete(.idempotencyKey(app, key), from: expired, in: &transaction)
        }
        let answer = IdempotencyRecord(
            fingerprint: fingerprint,
            message: acceptance.id,
            total: acceptance.total,
            ended: acceptance.ended,
            acceptedAt: now
        )
        try tables.idempotency.put(answer, for: key, app: app, in: &transaction)
        try tables.expiry.insert(.idempotencyKey(app, key), from: now, in: &transaction)
    }
}
