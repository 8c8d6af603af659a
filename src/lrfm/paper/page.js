const box=document.querySelector('dialog'),big=box.querySelector('img');
document.querySelectorAll('figure img').forEach(i=>i.onclick=()=>{big.src=i.src;big.alt=i.alt;box.showModal()});
box.onclick=()=>box.close();
