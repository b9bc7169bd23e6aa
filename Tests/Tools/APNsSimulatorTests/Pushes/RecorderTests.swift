import CarillonTestKit
import Foundation
import Testing

@testable import apns_simulator

/// The record of the pushes that the simulator has received.
struct RecorderTests {
    @Test func `the record has the ids of an accepted push`() throws {
        let directory = TemporaryDirectory()
        try directory.make()
        var recorder = try Recorder(path: directory.file("record"), prints: false)
        Array("an id".utf8).withUnsafeBytes { id in
            let arrival = RequestArrival(milliseconds: 1_700_000_000_999, id: id, uniqueID: "a unique id")
            ReceivedPush.with(fields: [(":path", "/3/device/ab01")], payload: "{}") { push in
                recorder.append(push, at: arrival, response: .accepted)
                recorder.append(push, at: arrival, response: .rejected(.badTopic))
            }
            ReceivedPush.with(fields: [(":path", "/3/devices/ab01")], payload: "{}") { push in
                recorder.append(push, at: arrival, response: .rejected(.badPath))
            }
        }
        recorder.flush()
        let lines = try String(contentsOfFile: directory.file("record"), encoding: .utf8).split(separator: "\n")
        let ids = lines.map { $0.split(separator: ",").dropFirst().prefix(3).joined(separator: ",") }
        #expect(
            ids == [
                #""token":"ab01","apns-id":"an id","unique-id":"a unique id""#,
                #""token":"ab01","apns-id":"an id","payload":"{}""#,
                #""token":"","apns-id":"an id","payload":"{}""#,
            ])
    }
}
