import CarillonCommandLine
import CarillonCore
import Testing

@testable import carillon

struct DeviceMembershipsCommandTests {
    private static let page: Memberships = {
        let level = TopicName("level5")!
        let guild = TopicName("guild/77")!
        let user = GroupName("user/42")!
        let role = GroupName("role/9001")!
        return Memberships(
            device: DeviceID(rawValue: 17),
            isMuted: false,
            groups: [.init(group: role, isMuted: true), .init(group: user, isMuted: false)],
            topics: [
                .init(topic: guild, source: nil), .init(topic: guild, source: user), .init(topic: level, source: role),
            ],
            next: nil
        )
    }()

    @Test func `the table names the sources of a topic`() {
        #expect(
            Self.page.table == """
                device  17
                groups  role/9001 (muted), user/42
                topics  2
                  guild/77  subscribed by itself, user/42
                  level5    subscribed by role/9001
                """
        )
    }

    @Test func `the JSON names the sources of a topic`() {
        #expect(
            Self.page.json.line
                == #"{"device_id":17,"muted":false,"groups":[{"group":"role/9001","muted":true},"#
                + #"{"group":"user/42","muted":false}],"topics":[{"topic":"guild/77","sources":["","user/42"]},"#
                + #"{"topic":"level5","sources":["role/9001"]}]}"#
        )
    }
}
