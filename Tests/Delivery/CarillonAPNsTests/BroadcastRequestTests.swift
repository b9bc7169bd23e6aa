import CarillonAPNs
import CarillonCore
import CarillonProvider
import Testing

/// The path and the headers of a broadcast push. Apple accepts no others.
struct BroadcastRequestTests {
    private static let channel = ChannelAddress(environment: .production, id: ChannelID("dHN0LXNyY2gtY2hubA==")!)

    private func delivery(
        app: AppID = PushRequestTests.app, priority: Priority? = nil, expiration: Expiration = .once
    ) -> Delivery {
        let content = MessageContent(
            app: app, pushType: .liveactivity, priority: priority, expiration: expiration, payload: Array("{}".utf8))
        let outbound = OutboundMessage(
            id: MessageID(rawValue: 7), content: content, sendableSince: .zero, notAfter: nil, lane: .interactive,
            channel: Self.channel)
        var page = RecipientPage.Builder()
        page.append(RecipientPage.Recipient(position: 0, device: nil, environment: .production), token: [])
        return Delivery(
            message: OutboundMessage.Shared(outbound), page: page.page(0, of: outbound.id), index: 0, device: .channel,
            handedOutAt: 0)
    }

    private func headers(_ delivery: Delivery) -> [String] {
        APNsAdapter(epoch: .zero).request(for: delivery.message, payloadIndex: 0, at: .zero).headers
            .map { "\($0.name): \($0.value)" }
    }

    @Test func `a broadcast request has the headers that Apple asks for and no others`() {
        let id = NotificationID.derive(epoch: .zero, message: MessageID(rawValue: 7), device: .channel)
        #expect(
            headers(delivery()) == [
                "apns-channel-id: dHN0LXNyY2gtY2hubA==", "apns-push-type: liveactivity", "apns-priority: 10",
                "apns-expiration: 0", "apns-request-id: \(id)",
            ])
        let later = headers(delivery(priority: .powerAware, expiration: .at(seconds: 1_790_000_000)))
        #expect(later[2...3] == ["apns-priority: 5", "apns-expiration: 1790000000"])
    }

    @Test func `the path has the bundle id without a suffix`() throws {
        let longest = try #require(AppID(String(repeating: "a", count: AppID.maximumBytes)))
        for app in [PushRequestTests.app, longest] {
            var parts = RequestParts()
            #expect(APNsAdapter(epoch: .zero).write(delivery(app: app), into: &parts))
            #expect(String(decoding: parts.path, as: UTF8.self) == "/4/broadcasts/apps/\(app.name)")
            #expect(parts.id?.count ?? 0 == 0, "a broadcast push has no apns-id")
        }
    }
}
