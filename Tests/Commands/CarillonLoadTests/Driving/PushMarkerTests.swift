import Testing

@testable import carillon_load

/// The markers by which the arrivals of pushes are measured.
struct PushMarkerTests {
    @Test(arguments: LoadOperation.allCases)
    func markersAreRestored(operation: LoadOperation) {
        for due in [0, 1, 12_345_678, 604_800_000_000] as [UInt64] {
            let marker = PushMarker(operation: operation, dueMicroseconds: due)
            #expect(PushMarker(number: marker.number) == marker)
        }
        #expect(PushMarker(number: 0) == nil)
        #expect(PushMarker(number: 7) == nil)
    }
}
