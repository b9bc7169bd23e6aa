import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The sets of a device: all, those of its record, its groups, its own topics and those of its groups.
struct DeviceSetsTests {
    private static let level = MembershipTranscript.level
    private static let user = MembershipTranscript.user

    static let transcripts = [
        MembershipTranscript(
            "a registration brings topics, groups, attributes and its language",
            [
                .register(
                    1, locale: "zh-Hant-TW", attributes: ["platform": "ios"], topics: ["level5"], groups: ["user/1"]),
                .register(2, locale: "en", attributes: ["platform": "macos"]),
            ],
            holds: [
                level: [1], user: [1], "platform == 'ios'": [1], "platform != 'ios'": [2], "locale == 'zh'": [1],
                "locale == 'zh-hant'": [1], "locale == 'en'": [2], "all": [1, 2],
                "environment == 'production'": [1, 2],
                "kind == 'voip'": [],
            ]
        ),
        MembershipTranscript(
            "a replaced token keeps everything, the device that ends loses everything",
            [
                .register(1, locale: "en", attributes: ["platform": "ios"], topics: ["level5"], groups: ["user/1"]),
                .register(2, topics: ["level5"], groups: ["user/1"]), .register(2, replaces: 1),
            ],
            holds: [level: [1], user: [1], "platform == 'ios'": [1], "locale == 'en'": [1], "all": [1]]
        ),
        MembershipTranscript(
            "an unregistered device is in no set and comes back with nothing",
            [
                .register(1, topics: ["level5"], groups: ["user/1"]), .unregister(1),
                .register(1, seenAt: 0, now: 2_000),
            ],
            holds: [level: [], user: [], "all": [2]]
        ),
        MembershipTranscript(
            "a platform is that of the provider unless it is set",
            [
                .register(1), .register(2, kind: .fcm), .register(3, kind: .fid), .register(4, kind: .web),
                .register(5, attributes: ["platform": "macos"]), .register(6, attributes: ["platform": "tvos"]),
                .updateDevice(6, attributes: ["platform": ""]),
                .register(7, kind: .fcm, attributes: ["platform": "ios"]),
                .register(8, kind: .voip),
            ],
            holds: [
                "platform == 'ios'": [1, 6, 7, 8], "platform == 'android'": [2, 3], "platform == 'web'": [4],
                "platform == 'macos'": [5], "platform == 'tvos'": [], "platform != 'ios'": [2, 3, 4, 5],
                "kind == 'fcm'": [2, 7],
            ]
        ),
        MembershipTranscript(
            "language and attributes change with an update, and with nothing else",
            [
                .register(1, locale: "en-GB", attributes: ["platform": "ios", "region": "eu"]),
                .updateDevice(1, locale: "de", attributes: ["region": ""]), .register(1),
            ],
            holds: [
                "locale == 'en'": [], "locale == 'de'": [1], "region == 'eu'": [], "platform == 'ios'": [1],
            ]
        ),
    ]

    @Test(arguments: transcripts)
    func `changes have the answers and sets of the transcript`(_ transcript: MembershipTranscript) throws {
        try transcript.check()
    }
}
