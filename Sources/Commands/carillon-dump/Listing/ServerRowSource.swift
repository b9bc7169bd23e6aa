import CarillonClient
import CarillonCore

/// The rows that a running server has, read page by page with a client.
struct ServerRowSource: RowSource {
    let client: CarillonClient

    func apps() -> [AppID]? { nil }

    func devices(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceRecord, UInt64> {
        try await client.devices(of: app, from: cursor)
    }

    func device(_ reference: DeviceReference, of app: AppID) async throws -> DeviceRecord? {
        try await found { () throws(CarillonError) in try await client.lookup(reference, app: app) }
    }

    func groups(of app: AppID, prefix: String, after name: GroupName?) async throws -> Page<GroupSummary, GroupName> {
        try await client.groups(of: app, prefix: prefix, after: name)
    }

    func topics(of app: AppID, prefix: String, after name: TopicName?) async throws -> Page<TopicSummary, TopicName> {
        try await client.topics(of: app, prefix: prefix, after: name)
    }

    func devices(of group: GroupName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.devices(of: group, app: app, from: cursor)
    }

    func devices(in topic: TopicName, app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.devices(in: topic, app: app, from: cursor)
    }

    func topics(of group: GroupName, app: AppID, after name: TopicName?) async throws -> Page<TopicName, TopicName> {
        try await client.topics(of: group, app: app, after: name)
    }

    func memberships(of id: DeviceID, app: AppID, after name: TopicName?) async throws -> Memberships? {
        try await found { () throws(CarillonError) in
            try await client.memberships(of: .id(id), app: app, after: name)
        }
    }

    func messages(of app: AppID, before id: MessageID?) async throws -> Page<MessageSummary, MessageID> {
        try await client.messages(of: app, before: id)
    }

    func status(of message: MessageID, app: AppID) async throws -> MessageStatus? {
        try await found { () throws(CarillonError) in try await client.status(of: message, app: app) }
    }

    func quarantinedDevices(of app: AppID, from cursor: UInt64?) async throws -> Page<DeviceID, UInt64> {
        try await client.quarantinedDevices(of: app, from: cursor)
    }

    /// Returns the result of `ask`; nil if the server answers NOT_FOUND.
    private func found<Answer>(
        _ ask: () async throws(CarillonError) -> Answer
    ) async throws(CarillonError) -> Answer? {
        do throws(CarillonError) {
            return try await ask()
        } catch {
            guard error.code.server == .notFound else { throw error }
            return nil
        }
    }
}
