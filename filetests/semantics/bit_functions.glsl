// run: emulate, instrument
// stage: fragment
// set: x = 240
#version 400
uniform int x;
out ivec4 c;
void main() {
    int n = bitCount(x);                        // expect: n = 4
    int low = findLSB(x);                       // expect: low = 4
    int high = findMSB(x);                      // expect: high = 7
    int part = bitfieldExtract(x, 4, 4);        // expect: part = -1
    uint upart = bitfieldExtract(uint(x), 4, 4);   // expect: upart = 15
    int put = bitfieldInsert(x, 5, 0, 3);       // expect: put = 245
    uint back = bitfieldReverse(1u);            // expect: back = 2147483648
    uint carry;
    uint sum = uaddCarry(4294967295u, uint(n), carry);   // expect: sum = 3 // expect: carry = 1
    c = ivec4(n, low, high, put);
}
// output: c = (4, 4, 7, 245)
