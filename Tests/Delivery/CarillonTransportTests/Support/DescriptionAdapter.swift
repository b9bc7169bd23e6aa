import CarillonAPNs
import CarillonCore
import CarillonProvider

/// An adapter whose reason for each refusal is the error description, as the push service of Windows sends it.
struct DescriptionAdapter: ProviderAdapter {
    private let apns = APNsAdapter(epoch: .zero)

    var name: String { apns.name }

    func request(
        for message: OutboundMessage.Shared, payloadIndex: UInt8, at now: Timestamp
    ) throws(MessageError) -> SharedRequest {
        try apns.request(for: message, payloadIndex: payloadIndex, at: now)
    }

    func write(_ delivery: Delivery, into parts: inout RequestParts) -> Bool { apns.write(delivery, into: &parts) }

    func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, errorDescription: String?,
        at now: Timestamp
    ) -> ProviderAnswer {
        ProviderAnswer(status: status, reason: errorDescription, verdict: .refused(.badRequest, deadSince: nil))
    }
}
