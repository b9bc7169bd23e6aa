package import CarillonCore
package import CarillonProvider

/// FCM as a provider: one path for a project, and a body whose end names the device.
package struct FCMAdapter: ProviderAdapter {
    private let path: [UInt8]

    /// Makes the adapter of a project; nil if its name is so long that the path has more than
    /// `RequestParts.maximumPathBytes`.
    package init?(project: String) {
        path = Array(FCMRequest.path(project: project).utf8)
        guard path.count <= RequestParts.maximumPathBytes else { return nil }
    }

    /// The backoffs after errors of FCM. Google asks for at least ten seconds before the first retry, then for more
    /// each time, and for jitter (https://firebase.google.com/docs/cloud-messaging/scale-fcm): half of the delay is
    /// random.
    package static var backoffs: ProviderBackoffs {
        var backoffs = ProviderBackoffs()
        backoffs.busy = DeliveryBackoff(firstMilliseconds: 20_000, maximumMilliseconds: 900_000, maximumAttempts: 200)
        return backoffs
    }

    package var name: String { "FCM" }

    /// Makes the headers, and the body up to the device.
    package func request(
        for message: OutboundMessage.Shared, payloadIndex: UInt8, at now: Timestamp
    ) throws(MessageError) -> SharedRequest {
        let request = try FCMRequest(message.content, payloadIndex: payloadIndex, message: message.id, at: now)
        return SharedRequest(
            headers: [.init(name: "content-type", value: FCMRequest.contentType, isIndexed: true)],
            body: request.bodyStart,
            maximumAgeMilliseconds: request.hasExpiration ? FCMRequest.maximumAgeMilliseconds : nil)
    }

    /// Writes the path and `"token":"…"}}`. Returns false for a token that is not FCM's.
    package func write(_ delivery: Delivery, into parts: inout RequestParts) -> Bool {
        let kind = delivery.page.recipients[delivery.index].kind
        parts.setPath { room in
            UnsafeMutableRawBufferPointer(start: room, count: path.count).copyBytes(from: path)
            return path.count
        }
        parts.setBodyEnd { room in
            delivery.page.withToken(at: delivery.index) { FCMRequest.writeEnd(kind, token: $0, into: room) }
        }
        return !parts.bodyEnd.isEmpty
    }

    /// Judges by Google's error, as the table in `CarillonFCM.docc/Verdicts.md` says.
    package func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, errorDescription: String?,
        at now: Timestamp
    ) -> ProviderAnswer {
        FCMAnswer.judgeFailure(status: status, body: Array(body), retryAfterMilliseconds: retryAfterMilliseconds)
    }
}

extension ConnectionMachine.Limits {
    /// The limits of connections to FCM.
    package static var fcm: Self { .withoutPings }
}
