import CarillonClient
import CarillonCore
import Testing

@testable import carillon

private let game = AppID("com.example.game")!

struct OutputTests {
    @Test func jsonIsOneLineInItsOrder() {
        let value = JSON.members([
            "z": .number(.max), "a": .text("tab\tquote\"back\\line\nü"), "none": nil,
            "list": .list([.bool(true), .null]),
        ])
        #expect(value.line == #"{"z":18446744073709551615,"a":"tab\u0009quote\"back\\line\nü","list":[true,null]}"#)
    }

    @Test(
        arguments: [
            (0, "just now"), (999, "just now"), (1_500, "1.5 s ago"), (90_000, "90 s ago"), (600_000, "10 min ago"),
            (7_200_000, "2 h ago"), (864_000_000, "10 d ago"),
        ] as [(UInt64, String)])
    func relativeTimes(milliseconds: UInt64, text: String) {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        #expect(Timestamp(milliseconds: now.milliseconds - milliseconds).relative(to: now) == text)
    }

    @Test func aStatusForPeopleAndPrograms() {
        let status = MessageStatus(
            state: .finished,
            acceptedAt: Timestamp(milliseconds: 1_000),
            finishedAt: Timestamp(milliseconds: 2_500),
            total: 3,
            outcomes: [.delivered: 2, .badToken: 1]
        )
        let id = MessageID(rawValue: 42)
        #expect(
            status.table(id, at: Timestamp(milliseconds: 4_500)) == """
                message    42  finished
                accepted   3.5 s ago
                finished   2.0 s ago, after 1.5 s
                devices    3
                delivered  2
                bad-token  1
                """
        )
        #expect(
            status.json(id).line
                == #"{"message_id":42,"state":"finished","accepted_at_ms":1000,"finished_at_ms":2500,"#
                + #""total":3,"outcomes":{"delivered":2,"bad-token":1}}"#
        )
    }

    @Test(arguments: [
        (CarillonError(.server(.notFound), message: ""), carillon.ExitStatus.refused),
        (CarillonError(.server(.draining), message: ""), .unreachable),
        (CarillonError(.timeout, message: ""), .unreachable),
        (CarillonError(.notConnected, message: ""), .unreachable),
        (CarillonError(.configuration, message: ""), .usage),
    ])
    func exitStatuses(error: CarillonError, status: carillon.ExitStatus) {
        #expect(carillon.ExitStatus(error) == status)
    }

    @Test func linesOfAFileTakeTheRestFromTheOptions() throws {
        let template = RegistrationLine.Template(app: game, environment: .sandbox, locale: "de")
        let line = Array(#"{"token":"AABB","kind":"voip","seen_at":7}"#.utf8)
        let registration = try RegistrationLine.parse(line, template).get()
        #expect(registration.app == game)
        #expect(registration.address.environment == .sandbox)
        #expect(registration.address.kind == .voip)
        #expect(registration.address.token == DeviceToken([0xAA, 0xBB]))
        #expect(registration.seenAt == Timestamp(milliseconds: 7))
        #expect(registration.locale == "de")
    }

    @Test(arguments: [
        ("", nil), ("[]", nil), (#"{"token":5}"#, "token"), (#"{"token":"xy"}"#, "token"), ("{}", "token"),
        (#"{"token":"aa","environment":"prod"}"#, "environment"), (#"{"token":"aa","tokn":"bb"}"#, "tokn"),
        (#"{"token":"aa","seen_at":-1}"#, "seen_at"), (#"{"token":"aa","seen_at":1.5}"#, "seen_at"),
    ])
    func faultyLinesNameTheField(line: String, field: String?) {
        guard case .failure(let fault) = RegistrationLine.parse(Array(line.utf8), .init(app: game)) else {
            Issue.record("'\(line)' was taken")
            return
        }
        #expect(fault.field == field)
    }
}
