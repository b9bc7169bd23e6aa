import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The set of the platform `ios`, which the first start of this program makes in a database of schema 5.
struct PlatformUpgradeTests {
    private let scratch = RegistryDirectory()

    /// Removes what a program of schema 5 has not stored: the devices without an attribute `platform` from the set of
    /// the platform `ios`.
    private func downgradeToSchema5() throws {
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                let app: AppNumber = 1
                let label = SetLabel.attribute("platform", "ios")
                let set = try #require(try tables.sets.get(label, app: app, in: transaction))
                // Only devices with an attribute of their own were in the set.
                var own = ChunkBits()
                try tables.devices.forEach(in: transaction) { _, device in
                    if device.attributes[.platform]?.text == "ios" { own.insert(device.id.offset) }
                }
                let rowKey = PostingTable.RowKey(app: app, set: set.number, chunk: 0)
                if own.isEmpty {
                    try tables.postings.delete(rowKey, in: &transaction)
                    try tables.sets.delete(label, app: app, in: &transaction)
                    try tables.setNames.delete(set.number, app: app, in: &transaction)
                } else {
                    try tables.postings.put(own, count: own.count, at: rowKey, in: &transaction)
                    let record = SetRecord(number: set.number, devices: UInt64(own.count))
                    try tables.sets.put(record, for: label, app: app, in: &transaction)
                }
            }
        }
        try scratch.setSchema(5)
    }

    @Test(arguments: [[:], ["platform": "ios"], ["platform": "macos"]])
    func `the devices of schema 5 are in the set of their platform`(_ attributes: [String: String]) throws {
        let filled = try scratch.open()
        for token in 1...7 as ClosedRange<UInt8> { try filled.apply(.register(token)) }
        try filled.apply([.register(30, attributes: attributes), .register(31, kind: .voip)])
        let expected = try filled.explain(Condition("platform == 'ios'"), app: game).devices
        filled.close()
        try downgradeToSchema5()
        let registry = try scratch.open()
        #expect(try registry.verify() == [])
        #expect(try registry.explain(Condition("platform == 'ios'"), app: game).devices == expected)
        #expect(expected == (attributes["platform"] == "macos" ? 8 : 9))
    }
}
