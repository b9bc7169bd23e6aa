import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

/// Events and gaps, as text and as JSON.
struct EventStreamElementOutputTests {
    private let elements: [EventStreamElement] = [
        .event(
            Event(
                sequence: 12, at: Timestamp(milliseconds: 1_782_907_200_500), kind: .deliveryFailed,
                app: TestApps.game, message: MessageID(rawValue: 42), device: DeviceID(rawValue: 7),
                outcome: .badToken)),
        .gap(3..<9),
    ]

    @Test func `an event and a gap are a line of text`() {
        #expect(
            elements.map(\.line) == [
                "12  2026-07-01T12:00:00Z  delivery-failed  com.example.game  message 42  device 7  bad-token",
                "8  gap  events 3 to 8 are no longer stored",
            ])
    }

    @Test func `an event and a gap are a line of JSON`() {
        #expect(
            elements.map(\.json.line) == [
                #"{"sequence":12,"at_ms":1782907200500,"kind":"delivery-failed","app":"com.example.game","#
                    + #""message_id":42,"device_id":7,"outcome":"bad-token"}"#,
                #"{"kind":"gap","missed_from":3,"missed_to":9}"#,
            ])
    }
}
