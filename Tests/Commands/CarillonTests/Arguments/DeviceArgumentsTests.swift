import ArgumentParser
import CarillonClient
import CarillonCore
import Testing

@testable import carillon

private let app = "com.example.game"

struct DeviceArgumentsTests {
    @Test func `a short token is named`() {
        func warning(_ count: Int) -> String? {
            DeviceAddress(
                environment: .production, kind: .device, token: DeviceToken([UInt8](repeating: 1, count: count))!
            ).lengthWarning
        }
        #expect(warning(2)?.hasPrefix("the token has 2 bytes") == true)
        #expect(warning(1)?.hasPrefix("the token has 1 byte;") == true)
        #expect(warning(32) == nil)
    }

    @Test func `a device of Android is named by the text of its token`() throws {
        let token = try #require(DeviceToken("c:d", of: .fcm))
        let fid = try #require(DeviceToken("cNabcdefghijklmnopqr-_", of: .fid))
        let command = try SendCommand.parse([
            "--app", app, "--fcm", "c:d", "--fcm", "cNabcdefghijklmnopqr-_", "--body", "Hi",
        ])
        #expect(
            try command.makeMessage(at: .zero).audience
                == .devices([
                    .address(DeviceAddress(environment: .production, kind: .fcm, token: token)),
                    .address(DeviceAddress(environment: .production, kind: .fid, token: fid)),
                ]))
    }
}
