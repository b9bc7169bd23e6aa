import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// UNREGISTER (Protocol 7.3): what ends, what is stale, and the tombstone that stays.
struct UnregistrationApplierTests {
    static let transcripts = [
        AnswerTranscript(
            "an unregistration earlier than the registration is stale, an equal one wins",
            [
                .register(1, seenAt: 500): .created(1),
                .unregister(1, at: 499): .refused(.stale),
                .unregister(1, at: 500): .unregistered(deviceID(1)),
            ]),
        AnswerTranscript(
            "an unknown token leaves a tombstone, and the latest tombstone stays",
            [
                .unregister(1, at: 600): .unregistered(nil),
                .unregister(1, at: 300): .unregistered(nil),
                .register(1, seenAt: 600): .refused(.stale),
                .unregister(1, at: 700): .unregistered(nil),
                .register(1, seenAt: 700): .refused(.stale),
                .register(1, seenAt: 701): .created(1),
            ]),
        AnswerTranscript(
            "a device is unregistered by its id, once",
            [
                .register(1, seenAt: 500): .created(1),
                .unregister(id: 1, at: 499): .refused(.stale),
                .unregister(id: 1): .unregistered(deviceID(1)),
                .unregister(id: 1): .refused(.notFound),
            ]),
        AnswerTranscript(
            "an id in an app that was never used is not found",
            [
                .unregister(id: 1): .refused(.notFound),
                .register(1): .created(1),
            ]),
    ]

    @Test(arguments: transcripts)
    func `unregistrations have the answers of the transcript`(_ transcript: AnswerTranscript) throws {
        try transcript.check()
    }
}
