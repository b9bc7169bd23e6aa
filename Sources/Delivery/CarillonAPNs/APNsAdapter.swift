package import CarillonCore
package import CarillonProvider

/// APNs as a provider: a path with the token, and an `apns-id`, for each device.
package struct APNsAdapter: ProviderAdapter {
    /// The server's epoch: part of each `apns-id`.
    private let epoch: UUIDBytes
    private let managementTopic: String?

    /// Makes the adapter of a pool.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the registry that the messages come from.
    ///   - managementTopic: the APNs topic of `mdm` pushes, which the credential has; nil if the pool carries no such
    ///     pushes.
    package init(epoch: UUIDBytes, managementTopic: String? = nil) {
        self.epoch = epoch
        self.managementTopic = managementTopic
    }

    /// The backoffs after answers of APNs. They are the defaults, whose delays go up to the 15 minutes that Apple asks
    /// for after 500 and 503 ("Handling notification responses from APNs"). A channel has shorter delays, because APNs
    /// takes about one update of a channel a second.
    package static var backoffs: ProviderBackoffs {
        var backoffs = ProviderBackoffs()
        backoffs.channelThrottled = DeliveryBackoff(
            firstMilliseconds: 2_000, maximumMilliseconds: 60_000, maximumAttempts: 100)
        return backoffs
    }

    package var name: String { "APNs" }

    /// Makes the headers and the payload, which are the same for every device.
    package func request(for message: OutboundMessage.Shared, payloadIndex: UInt8, at now: Timestamp) -> SharedRequest {
        if let channel = message.channel {
            let id = NotificationID.derive(epoch: epoch, message: message.id, device: .channel)
            let request = BroadcastRequest(message.content, to: channel.id, requestID: id)
            return SharedRequest(headers: request.headers, body: message.content.payload)
        }
        let request = PushRequest(
            message.content, payloadIndex: payloadIndex, message: message.id, managementTopic: managementTopic)
        return SharedRequest(headers: request.headers, body: request.payload)
    }

    /// Writes `/3/device/<token in hexadecimal>` and the `apns-id`; for a broadcast push its own path, and no id.
    package func write(_ delivery: Delivery, into parts: inout RequestParts) -> Bool {
        if delivery.message.channel != nil {
            parts.setID { _ in 0 }
            parts.setPath { BroadcastRequest.writePath(for: delivery.message.content.app, into: $0) }
            return true
        }
        parts.setPath { path in
            let prefix = PushRequest.pathPrefix.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: path, count: bytes.count).copyMemory(from: bytes)
                return bytes.count
            }
            return delivery.page.withToken(at: delivery.index) { token in
                guard prefix + 2 * token.count <= RequestParts.maximumPathBytes else { return 0 }
                // Safety: there is room for the prefix and two digits for each byte of the token.
                Hex.write(token, into: path + prefix)
                return prefix + 2 * token.count
            }
        }
        guard !parts.path.isEmpty else { return false }
        let id = NotificationID.derive(epoch: epoch, message: delivery.message.id, device: delivery.device)
        parts.setID { room in
            NotificationID.write(id, into: room)
            return NotificationID.textBytes
        }
        return true
    }

    /// Judges by Apple's reason, as the table in `CarillonAPNs.docc/Verdicts.md` says.
    package func judgeFailure(
        status: UInt16, body: UnsafeRawBufferPointer, retryAfterMilliseconds: UInt64?, errorDescription: String?,
        at now: Timestamp
    ) -> ProviderAnswer {
        APNsAnswer.judgeFailure(status: status, body: body, retryAfterMilliseconds: retryAfterMilliseconds, now: now)
    }

    /// Reads Apple's reason, in the form of an error body.
    package func goAway(debugData: UnsafeRawBufferPointer) -> (reason: String?, refusesCredential: Bool) {
        let reason = APNsAnswer.parse(debugData).reason
        return (reason, reason.map(APNsAnswer.refusesCertificate) ?? false)
    }
}
