import Testing

@testable import CarillonCluster

struct NodeNameTests {
    @Test(arguments: [
        ("a", true), ("0", true), ("node-1.eu_west", true), (String(repeating: "x", count: 63), true), ("", false),
        ("-a", false), (".a", false), ("A", false), ("a b", false), ("ä", false),
        (String(repeating: "x", count: 64), false), ("a/1", false),
    ])
    func `only small letters, digits and signs make a name`(text: String, isName: Bool) {
        #expect((NodeName(text) != nil) == isName)
    }
}
