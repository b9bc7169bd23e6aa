import CarillonLMDB
import Testing

struct LMDBErrorTests {
    @Test(arguments: [
        (LMDBError.Code.mapFull, "put: MDB_MAP_FULL: Environment mapsize limit reached (-30792)"),
        (.inputOutput, "put: Input/output error (5)"),
    ])
    func `the description names call and cause`(code: LMDBError.Code, text: String) {
        #expect(LMDBError(code, operation: "put").description == text)
    }
}
