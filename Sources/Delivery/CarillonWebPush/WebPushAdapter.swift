package import CarillonCore
package import CarillonProvider
import CarillonTLS
import Synchronization

/// One push service of browsers as a provider: each push has the path of its endpoint, and a body of its own that is
/// encrypted for its browser.
package final class WebPushAdapter: ProviderAdapter {
    private struct Key: Hashable {
        var message: MessageID
        var payloadIndex: UInt8
    }

    /// The contexts of encryption, used by one thread at a time. There are as many as threads have encrypted at once.
    // Safety: it is taken out of `idle` by one thread, and put back by it.
    private final class ThreadContexts: @unchecked Sendable {
        var encryption: MessageEncryption

        init() throws(TLSError) { encryption = try MessageEncryption() }
    }

    /// The most plaintexts that are kept; making one again is cheap.
    private static let maximumPlaintexts = 128

    private let authority: String
    private let service: WebPushService
    private let isKeyProven: @Sendable () -> Bool
    private let plaintexts = Mutex<[Key: [UInt8]]>([:])
    private let idle = Mutex<[ThreadContexts]>([])

    /// Makes the adapter of a push service.
    ///
    /// - Parameters:
    ///   - address: any endpoint of the push service.
    ///   - isKeyProven: returns true if the service has accepted a message that was signed with the server's key.
    package init(_ address: HTTPSAddress, isKeyProven: @escaping @Sendable () -> Bool) {
        authority = address.authority
        service = WebPushService(address)
        self.isKeyProven = isKeyProven
    }

    package var name: String { "Web Push" }

    /// Makes the headers; the whole body is each browser's own.
    package func request(
        for message: OutboundMessage.Shared, payloadIndex: UInt8, at now: Timestamp
    ) throws(MessageError) -> SharedRequest {
        _ = try plaintext(of: message, payloadIndex: payloadIndex)
        let request = try WebPushRequest(message.content, at: now)
        return SharedRequest(
            headers: request.headers, body: [],
            maximumAgeMilliseconds: request.hasExpiration ? WebPushRequest.maximumAgeMilliseconds : nil)
    }

    private func plaintext(of message: OutboundMessage.Shared, payloadIndex: UInt8) throws(MessageError) -> [UInt8] {
        let key = Key(message: message.id, payloadIndex: payloadIndex)
        if let known = plaintexts.withLock({ $0[key] }) { return known }
        let made = try BrowserMessage.plaintext(of: message.content, payloadIndex: payloadIndex, message: message.id)
        plaintexts.withLock { known in
            if known.count >= Self.maximumPlaintexts { known.removeAll(keepingCapacity: true) }
            known[key] = made
        }
        return made
    }

    /// Writes the path of the endpoint and the encrypted body. Returns false for a subscription that nothing can be
    /// encrypted for, or that is of another push service.
    package func write(_ delivery: Delivery, into parts: inout RequestParts) -> Bool {
        // Why try?: the caller refuses the push, and the rules of registration have checked the subscription before.
        guard
            let subscription = try? delivery.page.withSubscription(
                at: delivery.index, { try WebPushSubscription(bytes: $0) }),
            let address = subscription.address, address.authority == authority,
            address.target.utf8.count <= RequestParts.maximumPathBytes,
            // Why try?: the caller refuses the push.
            let plaintext = try? plaintext(
                of: delivery.message, payloadIndex: delivery.page.recipients[delivery.index].payloadIndex),
            let body = encrypt(plaintext, for: subscription), body.count <= RequestParts.maximumBodyEndBytes
        else { return false }
        parts.setPath { room in
            UnsafeMutableRawBufferPointer(start: room, count: address.target.utf8.count)
                .copyBytes(from: address.target.utf8)
            return address.target.utf8.count
        }
        parts.setBodyEnd { room in
            UnsafeMutableRawBufferPointer(start: room, count: body.count).copyBytes(from: body)
            return body.count
        }
        return true
    }

    private func encrypt(_ plaintext: [UInt8], for subscription: WebPushSubscription) -> [UInt8]? {
        // Why try?: without memory for a context, or with a key that is none, nothing can be sent.
        guard let contexts = idle.withLock({ $0.popLast() }) ?? (try? ThreadContexts()) else { return nil }
        defer { idle.withLock { $0.append(contexts) } }
        return try? contexts.encryption.encrypt(plaintext, for: subscription)
    }

    /// Judges by the push service and its words, as the table in `CarillonWebPush.docc/Verdicts.md` says.
    package func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, errorDescription: String?,
        at now: Timestamp
    ) -> ProviderAnswer {
        WebPushAnswer.judgeFailure(
            status: status, body: Array(body), retryAfterMilliseconds: retryAfterMilliseconds,
            detail: errorDescription, service: service, isKeyProven: isKeyProven())
    }
}

extension ConnectionMachine.Limits {
    /// The limits of connections to push services of browsers. Google's service needs them, and they suit the other
    /// services too.
    package static var webPush: Self { .withoutPings }
}
