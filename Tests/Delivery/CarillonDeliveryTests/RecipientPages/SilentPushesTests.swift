import CarillonCore
import Testing

@testable import CarillonDelivery

struct SilentPushesTests {
    private static func device(_ id: UInt64) -> AppDevice {
        AppDevice(app: EngineHarness.app, device: DeviceID(rawValue: id))
    }

    @Test func `a device has one silent push at a time`() {
        var pushes = SilentPushes()
        let begun = [7, 7, 8].map { pushes.begin(to: Self.device($0)) }
        #expect(begun == [true, false, true])
        #expect(pushes.count == 2)
        pushes.end(to: Self.device(7))
        #expect(pushes.count == 1)
        let isBegunAgain = pushes.begin(to: Self.device(7))
        #expect(isBegunAgain)
    }
}
