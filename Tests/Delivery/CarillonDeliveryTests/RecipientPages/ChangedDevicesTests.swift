import CarillonCore
import Testing

@testable import CarillonDelivery

/// The rows of a device that were read before it changed are not used.
struct ChangedDevicesTests {
    private func device(_ id: UInt64, _ app: String = "com.example.game") -> AppDevice {
        AppDevice(app: AppID(app)!, device: DeviceID(rawValue: id))
    }

    @Test func `a change counts for pages read before it`() {
        var changed = ChangedDevices(limit: 8)
        let before = changed.beginRead()
        changed.insert(device(1))
        let after = changed.beginRead()
        #expect([before, after].map { changed.hasChanged(device(1), since: $0) } == [true, false])
        #expect(!changed.hasChanged(device(2), since: before))
        #expect(!changed.hasChanged(device(1, "com.example.shop"), since: before), "the id is one of another app")
        changed.insert(device(1))
        #expect(changed.hasChanged(device(1), since: after))
    }

    @Test func `a change may be of all devices`() {
        var changed = ChangedDevices(limit: 8)
        let before = changed.beginRead()
        changed.insert(device(1))
        changed.insertAll()
        let after = changed.beginRead()
        #expect([before, after].map { changed.hasChanged(device(2), since: $0) } == [true, false])
        #expect(changed.count == 0)
    }

    @Test(arguments: [0, 1, 4]) func `beyond the limit all devices count as changed`(_ limit: Int) {
        var changed = ChangedDevices(limit: limit)
        let before = changed.beginRead()
        for id in 0..<UInt64(limit) { changed.insert(device(id)) }
        #expect(changed.count == limit)
        #expect(!changed.hasChanged(device(99), since: before))
        changed.insert(device(50))
        #expect(changed.hasChanged(device(99), since: before))
        #expect(changed.hasChanged(device(50), since: before))
        #expect(changed.count == 0)
        let after = changed.beginRead()
        #expect(!changed.hasChanged(device(99), since: after))
    }

    @Test func `a read that begins later has a greater number`() {
        var changed = ChangedDevices(limit: 8)
        let numbers = (0..<3).map { _ in
            defer { changed.removeAll() }
            changed.insert(device(1))
            return changed.beginRead()
        }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == 3)
        #expect(changed.count == 0)
    }
}
