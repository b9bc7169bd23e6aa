import Foundation
import Testing

@testable import apns_simulator

struct ReceptionTests {
    private static let now: Int64 = 1_700_000_000_999

    @Test func aWrongClockJudgesARequestByItsOwnTime() {
        Array("an id".utf8).withUnsafeBytes { id in
            #expect(Reception(milliseconds: Self.now, id: id).seconds == 1_700_000_000)
            let skewed = Reception(milliseconds: Self.now, skewSeconds: -3_600, id: id)
            #expect(skewed.seconds == 1_699_996_400)
            #expect(skewed.milliseconds == Self.now)
        }
    }

    @Test func theRecordHasTheIDsOfAnAcceptedPush() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        var recorder = try Recorder(path: file.path, prints: false)
        Array("an id".utf8).withUnsafeBytes { id in
            let reception = Reception(milliseconds: Self.now, id: id, uniqueID: "a unique id")
            ValidatorTests.withRequest([(":path", "/3/device/ab01")], payload: "{}") { push in
                recorder.append(push, reception, response: .accepted)
                recorder.append(push, reception, response: .rejected(.badTopic))
            }
            ValidatorTests.withRequest([(":path", "/3/devices/ab01")], payload: "{}") { push in
                recorder.append(push, reception, response: .rejected(.badPath))
            }
        }
        recorder.flush()
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let ids = lines.map { $0.split(separator: ",").dropFirst().prefix(3).joined(separator: ",") }
        #expect(
            ids == [
                #""token":"ab01","apns-id":"an id","unique-id":"a unique id""#,
                #""token":"ab01","apns-id":"an id","payload":"{}""#,
                #""token":"","apns-id":"an id","payload":"{}""#,
            ])
    }
}
