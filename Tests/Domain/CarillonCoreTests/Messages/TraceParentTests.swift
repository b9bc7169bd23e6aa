import CarillonCore
import Testing

/// The examples of W3C Trace Context, and values that are not valid.
struct TraceParentTests {
    private static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func `a value has a trace and a parent`() throws {
        let trace = try #require(TraceParent(Self.valid))
        #expect(trace.traceID == "0af7651916cd43dd8448eb211c80319c")
        #expect(trace.parentID == "b7ad6b7169203331")
        #expect(trace.description == Self.valid)
    }

    @Test(arguments: ["cc", "01", "fe"]) func `the fields of version 00 are read from a later version`(version: String)
    {
        let later = version + Self.valid.dropFirst(2)
        #expect(TraceParent(later)?.description == Self.valid)
        #expect(TraceParent(later + "-what-the-future-will-be-like")?.description == Self.valid)
        #expect(TraceParent(later + ".what") == nil)
    }

    @Test(arguments: [
        "", "00", "00-", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
        "00-0äf7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    ]) func `an invalid value is ignored`(text: String) { #expect(TraceParent(text) == nil) }
}
