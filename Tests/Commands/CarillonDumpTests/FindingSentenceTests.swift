import CarillonCore
import CarillonRegistry
import CarillonTestKit
import Testing

@testable import carillon_dump

/// The sentences of findings, with the names of their apps.
struct FindingSentenceTests {
    @Test func `a finding is shown as a sentence`() {
        let apps = AppNames(names: [1: TestApps.game])
        let id = DeviceID(rawValue: 17)
        #expect(Finding.deviceWithoutAddress(app: 1, id).kind == "deviceWithoutAddress")
        #expect(
            Finding.deviceWithoutAddress(app: 1, id).sentence(apps)
                == "com.example.game, device 17: the token index has no entry for it")
        let address = DeviceAddress(
            environment: .sandbox, kind: .device, token: DeviceToken([1, 2, 3, 4, 5, 6, 7, 8])!)
        #expect(
            Finding.tombstoneWithoutExpiry(app: 2, address).sentence(apps)
                == "app 2, token 01020304…: its tombstone would never be removed")
    }
}
