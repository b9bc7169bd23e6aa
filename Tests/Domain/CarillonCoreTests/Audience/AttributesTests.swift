import CarillonCore
import Testing

/// The keys and the values of attributes, and the changes of the attributes of a device.
struct AttributesTests {
    @Test(arguments: [("platform", true), ("a.b-c_9", true), ("", false), ("a/b", false), ("a b", false), ("é", false)])
    func `an attribute key allows fewer characters than a name`(_ key: String, _ isKey: Bool) {
        #expect((AttributeKey(key) != nil) == isKey)
    }

    @Test func `three attribute keys are reserved for the server`() {
        let reserved = ["locale", "environment", "kind", "platform", "Locale", "all"].filter {
            AttributeKey($0)?.isReserved == true
        }
        #expect(reserved == ["locale", "environment", "kind"])
    }

    @Test func `a key has at most 32 bytes and a value at most 64`() {
        #expect(AttributeKey(String(repeating: "k", count: 32)) != nil)
        #expect(AttributeKey(String(repeating: "k", count: 33)) == nil)
        #expect(AttributeValue(String(repeating: "v", count: 64)) != nil)
        #expect(AttributeValue(String(repeating: "v", count: 65)) == nil)
    }

    private func changes(_ pairs: [(String, String)]) throws -> [AttributeChange] {
        try pairs.map { try #require(AttributeChange(key: $0, value: $1)) }
    }

    @Test func `attributes are merged`() throws {
        var attributes = Attributes()
        try attributes.merge(changes([("vip", "yes"), ("platform", "ios"), ("build", "7")]))
        #expect(attributes.entries.map(\.key.name) == ["build", "platform", "vip"])
        try attributes.merge(changes([("vip", ""), ("build", "8"), ("absent", "")]))
        #expect(attributes.entries.map { "\($0.key)=\($0.value)" } == ["build=8", "platform=ios"])
        try attributes.merge(changes([("build", "9"), ("build", "10")]))
        #expect(try attributes[#require(AttributeKey("build"))]?.text == "10")
        #expect(try attributes[#require(AttributeKey("vip"))] == nil)
    }

    @Test func `a device has at most sixteen attributes`() throws {
        var attributes = Attributes()
        try attributes.merge(changes((0..<16).map { ("k\($0)", "v") }))
        let full = attributes
        #expect(throws: AttributeError.tooMany(17)) { try attributes.merge(changes([("more", "v"), ("k0", "w")])) }
        #expect(attributes == full)
        try attributes.merge(changes([("more", "v"), ("k0", "")]))
        #expect(attributes.entries.count == 16)
    }

    @Test(arguments: ["locale", "environment", "kind"])
    func `a reserved attribute cannot be set or removed`(_ key: String) throws {
        var attributes = Attributes()
        for value in ["production", ""] {
            #expect(throws: AttributeError.self) { try attributes.merge(changes([("platform", "ios"), (key, value)])) }
        }
        #expect(attributes == Attributes())
    }

    @Test(arguments: [("", "v"), ("k", "a b"), ("k k", "v"), ("k", "é")])
    func `an attribute change with other characters is refused`(_ key: String, _ value: String) {
        #expect(AttributeChange(key: key, value: value) == nil)
    }
}
